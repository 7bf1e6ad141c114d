"""What the panel remembers: with the scene, and in the preferences."""

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, IntProperty, StringProperty


class CallsheetChoice(bpy.types.PropertyGroup):
    """A camera or a view layer of the scene. Its name is `name`."""

    use: BoolProperty(name="Render", default=False)


class CallsheetName(bpy.types.PropertyGroup):
    """A farm, a queue or a product of the service. Its name is `name`."""


class CallsheetSettings(bpy.types.PropertyGroup):
    farm: StringProperty(name="Farm", description="Empty: the farm of the context, or the only one")
    queue: StringProperty(name="Queue", description="Empty: the queue of the context, or the only one")
    product: StringProperty(
        name="Product",
        default="blender/render",
        description="A product with the parameters of the preset blender/render",
    )
    frames: StringProperty(name="Frames", description="1-100, 1-100:10, 1,5,10-20. Empty: the frames of the scene")
    frames_per_task: IntProperty(name="Frames per task", default=1, min=1, max=1000)
    priority: IntProperty(name="Priority", default=50, description="Higher is scheduled sooner")
    save_mode: EnumProperty(
        name="Scene file",
        items=[
            ("COPY", "Save a copy", "Later changes of the scene do not change the job"),
            ("AS_IS", "Submit as it is", "The file on disk: it must be saved"),
        ],
        default="COPY",
    )
    denoise_off: BoolProperty(
        name="Denoise off", description="Needed where workers have a Blender without OpenImageDenoise, as in Debian"
    )
    cameras: CollectionProperty(type=CallsheetChoice)
    layers: CollectionProperty(type=CallsheetChoice)
    farms: CollectionProperty(type=CallsheetName)
    queues: CollectionProperty(type=CallsheetName)
    products: CollectionProperty(type=CallsheetName)


class CallsheetPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    url: StringProperty(name="Server", description="Empty: that of the context in use (callsheet context), or SVC_URL")
    context: StringProperty(name="Context", description="Name of another context of the command callsheet")

    def draw(self, _context):
        self.layout.prop(self, "url")
        self.layout.prop(self, "context")
        self.layout.label(text="Keys are those of the context, of callsheet login, or SVC_API_KEY.")


CLASSES = (CallsheetChoice, CallsheetName, CallsheetSettings, CallsheetPreferences)
